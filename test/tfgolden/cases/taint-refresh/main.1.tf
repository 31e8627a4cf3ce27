resource "tfgold_thing" "a" {
  name = "a"
  value = "one"
}
