from privgraph_workbench.views import accounting

accounting.page()
