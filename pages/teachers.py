from privgraph_workbench.views import teachers

teachers.page()
