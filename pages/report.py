from privgraph_workbench.views.report.page import page

page()
