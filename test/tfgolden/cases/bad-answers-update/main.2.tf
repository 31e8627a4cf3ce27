resource "tfgold_thing" "a" {
  name = "a"
  value = "v2"
  items = ["x"]
}
