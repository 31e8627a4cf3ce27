moved {
  from = tfgold_thing.a
  to = tfgold_moved.a
}
resource "tfgold_moved" "a" {
  name = "a"
  text = "two"
}
