resource "tfgold5_thing" "a" {
  name = "a"
  value = "one"
}
