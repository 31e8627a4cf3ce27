resource "tfgold_nested" "n" {
  name = "n"
  conf = { key = "k2", secret = "s" }
  item = [{ key = "i" }]
}
resource "tfgold_blocks" "b" {
  name = "b"
  rule {
    key = "r"
    port = 2
    step {
      key = "s"
    }
  }
  limit {
    rate = 3
  }
}
resource "tfgold_types" "t" {
  name = "t"
  str = "s2"
  num = 1.5
  word = ["w"]
  obj = { key = "k", num = null }
}
resource "tfgold_keyed" "k" {
  name = "k"
  id = "my-id2"
  value = "v"
}
resource "tfgold_bare" "bare" {
  name = "bare"
  value = "v2"
}
