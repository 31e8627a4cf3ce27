moved {
  from = tfgold5_thing.a
  to = tfgold5_moved.a
}
resource "tfgold5_moved" "a" {
  name = "a"
  text = "one"
}
