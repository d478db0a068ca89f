print("coterie")
