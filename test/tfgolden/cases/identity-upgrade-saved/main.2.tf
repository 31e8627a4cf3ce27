resource "tfgold_ident" "b" {
  name = "b"
  zone = "z2"
}
resource "tfgold_ident" "c" {
  name = "c"
  zone = "z1"
}
