resource "tfgold_thing" "a" {
  name = "a"
  value = "v3"
  items = ["x"]
}
