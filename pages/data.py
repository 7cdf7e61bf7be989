from privgraph_workbench.views.data.page import page

page()
