import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSelfSignedCertificate } from './self-signed-certificate.ts'
import { parseHandshake } from './handshake.ts'

const { certificate } = createSelfSignedCertificate(Date.now())
const base64 = new X509Certificate(certificate).raw.toString('base64').replace(/=+$/, '')

const parse = (line: string, expectsTls = true) => parseHandshake(line, { expectsTls })

describe('a handshake', () => {
  test('of protocol 6 on a socket has the certificate in the PEM format', () => {
    expect(parse(`1|6|unix|/tmp/plugin1|grpc|${base64}\r`)).toEqual({
      kind: 'content',
      content: {
        protocol: 6,
        target: 'unix:/tmp/plugin1',
        socketPath: '/tmp/plugin1',
        serverCertificate: certificate,
      },
    })
  })

  test('of protocol 5 on a port has no socket', () => {
    expect(parse('1|5|tcp|127.0.0.1:10000|grpc|', false)).toMatchObject({
      content: { protocol: 5, target: '127.0.0.1:10000', socketPath: undefined },
    })
  })

  test('may state that it does not multiplex', () => {
    expect(parse(`1|6|unix|/p|grpc|${base64}|false`).kind).toBe('content')
  })

  test.each([
    ['hello', "printed 'hello' where its handshake was expected"],
    ['', "printed '' where its handshake was expected"],
    ['a|6|unix|/p|grpc|', "printed 'a|6|unix|/p|grpc|' where its handshake was expected"],
    ['1|6|unix', "printed '1|6|unix' where its handshake was expected"],
    ['2|6|unix|/p|grpc|', "uses version 2 of go-plugin's handshake, not version 1"],
    ['1|4|unix|/p|grpc|', 'speaks protocol 4 of Terraform providers, not 5 or 6'],
    ['1|7|unix|/p|grpc|', 'speaks protocol 7 of Terraform providers, not 5 or 6'],
    ['1|5|unix|/p', 'uses net/rpc, the transport of Terraform before 0.12, not gRPC'],
    ['1|5|unix|/p|netrpc|', 'uses net/rpc, the transport of Terraform before 0.12, not gRPC'],
    ['1|5|unix|/p|http|', "uses the transport 'http', not gRPC"],
    ['1|6|udp|x:1|grpc|', "listens on 'udp' at 'x:1', not on a Unix socket or a TCP port"],
    ['1|6|unix|p|grpc|', "listens on 'unix' at 'p', not on a Unix socket or a TCP port"],
    ['1|6|tcp|1|grpc|', "listens on 'tcp' at '1', not on a Unix socket or a TCP port"],
    [`1|6|unix|/p|grpc|${'A'.repeat(60)}`, 'printed an unreadable certificate'],
    ['1|6|unix|/p|grpc||true', 'multiplexes its connections, which is not supported'],
    [
      '1|6|unix|/p|grpc|short',
      'does not encrypt its connection; TF_DISABLE_PLUGIN_TLS=1 permits that',
    ],
  ])('%j is refused with its reason', (line, problem) => {
    expect(parse(line)).toEqual({ kind: 'problem', code: 'PLUGIN_HANDSHAKE', problem })
  })
})
