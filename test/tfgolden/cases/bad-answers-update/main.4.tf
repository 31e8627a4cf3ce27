resource "tfgold_thing" "a" {
  name = "a"
  value = "v4"
  items = ["x"]
}
