resource "tfgold5_ident" "a" {
  name  = "a"
  value = "v2"
  zone  = "z2"
}
