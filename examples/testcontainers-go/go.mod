module example.com/commerceemulator

go 1.24

require github.com/testcontainers/testcontainers-go v0.38.0
