from privgraph_workbench.views.lessons.page import page

page()
