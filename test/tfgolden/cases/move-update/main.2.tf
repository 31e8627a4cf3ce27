moved {
  from = tfgold_thing.a
  to = tfgold_moved.c
}
resource "tfgold_moved" "c" {
  name = "a"
  text = "two"
}
resource "tfgold_thing" "b" {
  name = "b"
  value = tfgold_moved.c.id
}
