resource "tfgold_thing" "a" {
  name = "a"
  value = "one"
  zone = "z"
}
resource "tfgold_thing" "b" {
  name = "b"
  value = tfgold_thing.a.arn
}
