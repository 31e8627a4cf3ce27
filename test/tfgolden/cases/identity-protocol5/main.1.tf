resource "tfgold5_ident" "a" {
  name  = "a"
  value = "v1"
  zone  = "z1"
}
