resource "tfgold5_legacy" "a" {
  name = "a"
  note = "n"
  shout = "x"
  port {
    num = 1
  }
}
