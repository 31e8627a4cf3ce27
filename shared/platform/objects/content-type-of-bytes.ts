/**
 * Returns the content type that Pulumi's stores detect for the objects of a backend: text, gzip, or
 * other bytes. As in Go, only the first 512 bytes decide.
 */
export function contentTypeOf(bytes: Uint8Array): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08) return 'application/x-gzip'
  const start = bytes.subarray(0, 512)
  return start.every(isTextByte) ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

/**
 * Reports whether a byte can be part of a text: tab, line feed, form feed, carriage return, escape,
 * or any byte from 0x20 on.
 */
function isTextByte(byte: number): boolean {
  return byte >= 0x20 || byte === 0x1b || (byte >= 0x09 && byte <= 0x0d && byte !== 0x0b)
}
