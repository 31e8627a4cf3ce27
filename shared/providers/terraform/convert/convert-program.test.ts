import { expect, test } from 'vitest'
import { convertText } from './conversion.fixture.ts'

test('variables, resources, references and outputs get their names from the schema', async () => {
  const { text, notes } = await convertText(`
    variable "size" { default = 7 }
    variable "pass" {
      type      = string
      sensitive = true
    }
    locals { zone = "z\${var.size}" }
    resource "x_server" "web_one" {
      display_name = local.zone
      size         = var.size
      ip_range     = ["10.0.0.0/8"]
      owner        = { full_name = var.pass }
      rule { from_port = 1 }
      rule { key = "k" }
      rate_limit { from_port = 5 }
      route "a b" { key = "r" }
      main_box { key = "b" }
    }
    output "token" {
      value     = x_server.web_one.api_token
      sensitive = true
    }
    output "limit" { value = x_server.web_one.rate_limit[0].from_port }
    output "ports" { value = x_server.web_one.rule[*].from_port }
  `)
  expect(notes).toEqual([])
  expect(text).toBe(`config size "number" {
  default = 7
}

config pass "string" {
  secret = true
}

zone = "z\${size}"

resource webOne "x:index/server:Server" {
  __logicalName = "web_one"
  displayName = zone
  size = size
  ipRanges = ["10.0.0.0/8"]
  owner = {
    fullName = pass
  }
  rules = [
    {
      fromPort = 1
    },
    {
      key = "k"
    },
  ]
  rateLimit = {
    fromPort = 5
  }
  route = {
    "a b" = {
      key = "r"
    }
  }
  mainBox = {
    key = "b"
  }
  options {
    deleteBeforeReplace = true
  }
}

output token {
  value = secret(webOne.apiToken)
}

output limit {
  value = webOne.rateLimit.fromPort
}

output ports {
  value = webOne.rules[*].fromPort
}
`)
})
