resource "tfgold_thing" "a" {
  name = "a"
  value = "v6"
  items = ["x"]
}
