resource "tfgold5_legacy" "a" {
  name = "a"
  note = "n2"
  shout = "Y"
  port {
    num = 1
  }
  port {
    num = 2
    proto = "p"
  }
}
