print("uvbench")
