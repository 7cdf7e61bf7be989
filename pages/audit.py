from privgraph_workbench.views.audit.page import page

page()
