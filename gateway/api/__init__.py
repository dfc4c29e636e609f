"""HTTP: the web application, its sessions and its routes."""
