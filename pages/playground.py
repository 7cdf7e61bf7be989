from privgraph_workbench.views.playground.page import page

page()
