import UV
