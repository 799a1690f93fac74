print("calotype-server")
