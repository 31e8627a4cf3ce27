/**
 * Importing this file lets gRPC clients read error messages that begin or end with a space. HTTP/2
 * forbids such header values (RFC 9113, 8.2.1), so Node drops the header `grpc-message` and the
 * error has no text. Servers in Go send such values. @grpc/grpc-js has no option that turns off the
 * check of Node, so this file replaces `http2.connect`.
 */
import http2, { type ClientSessionOptions } from 'node:http2'

const connect = http2.connect.bind(http2)
const connectWithoutCheck = (
  authority: string | URL,
  options?: ClientSessionOptions | (() => void),
  listener?: () => void,
): http2.ClientHttp2Session =>
  typeof options === 'function'
    ? connect(authority, options)
    : connect(authority, { strictFieldWhitespaceValidation: false, ...options }, listener)
http2.connect = connectWithoutCheck as typeof http2.connect
