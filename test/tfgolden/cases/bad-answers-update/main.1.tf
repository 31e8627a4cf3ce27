resource "tfgold_thing" "a" {
  name = "a"
  value = "v1"
  items = ["x"]
}
