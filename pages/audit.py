from privgraph_workbench.views.attacks.page import page

page("worst-case")  # the address of audits before there were other attacks
