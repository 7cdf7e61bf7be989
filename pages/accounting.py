from privgraph_workbench.views.accounting.page import page

page()
