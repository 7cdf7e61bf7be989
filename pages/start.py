from privgraph_workbench.views.start.page import page

page()
