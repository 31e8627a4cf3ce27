/** Removes the credentials from an address. */
export function hideCredentials(address: string): string {
  const url = URL.parse(address)
  if (url === null || (url.username === '' && url.password === '')) return address
  return address.replace(/\/\/[^/@]*@/, '//')
}
