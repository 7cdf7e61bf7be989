from privgraph_workbench.views.teachers.page import page

page()
