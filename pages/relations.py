from privgraph_workbench.views.relations.page import page

page()
