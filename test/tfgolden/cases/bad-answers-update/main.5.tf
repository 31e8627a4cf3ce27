resource "tfgold_thing" "a" {
  name = "a"
  value = "v5"
  items = ["x"]
}
