import {
  to = tfgold_nested.n
  id = "n-1"
}
resource "tfgold_nested" "n" {
  name = "n"
  conf = { key = "k", secret = "s" }
  item = [{ key = "i" }]
}
import {
  to = tfgold_blocks.b
  id = "b-1"
}
resource "tfgold_blocks" "b" {
  name = "b"
  rule {
    key = "r"
    port = 1
    step {
      key = "s"
    }
  }
  limit {
    rate = 3
  }
}
import {
  to = tfgold_types.t
  id = "t-1"
}
resource "tfgold_types" "t" {
  name = "t"
  str = "s"
  num = 1.5
  word = ["w"]
  obj = { key = "k", num = null }
}
import {
  to = tfgold_keyed.k
  id = "my-id"
}
resource "tfgold_keyed" "k" {
  name = "k"
  id = "my-id"
  value = "v"
}
import {
  to = tfgold_bare.bare
  id = "bare"
}
resource "tfgold_bare" "bare" {
  name = "bare"
  value = "v"
}
