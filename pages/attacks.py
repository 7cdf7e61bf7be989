from privgraph_workbench.views.attacks.page import page

page("outsider")
