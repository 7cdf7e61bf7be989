from privgraph_workbench.views.train.page import page

page()
