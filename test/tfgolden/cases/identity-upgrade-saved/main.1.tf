resource "tfgold_ident" "a" {
  name = "a"
  value = "1"
}
resource "tfgold_ident" "b" {
  name = "b"
  zone = "z1"
}
resource "tfgold_ident" "c" {
  name = "c"
  zone = "z1"
}
