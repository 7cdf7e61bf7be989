from privgraph_workbench.views.tradeoffs.page import page

page()
