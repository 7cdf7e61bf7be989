from privgraph_workbench.views import audit

audit.page()
