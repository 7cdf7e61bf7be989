from privgraph_workbench.views.runs.page import page

page()
