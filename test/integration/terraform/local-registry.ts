import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSelfSignedCertificate } from '../../../shared/providers/terraform/client/self-signed-certificate.ts'
import type { RegistryFixture } from '../../../shared/providers/terraform/install/registry.fixture.ts'

/** A registry that serves HTTPS on this machine. */
export interface LocalRegistry {
  /** Host and port. */
  readonly host: string
  /** The certificate of the server, in PEM. */
  readonly certificate: string
  /** The file with the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certificateFile: string
  readonly close: () => Promise<void>
}

/** Serves a registry with a certificate of its own, which is written into the folder. */
export async function serveRegistry(
  registry: RegistryFixture,
  folder: string,
): Promise<LocalRegistry> {
  const { certificate, privateKey } = createSelfSignedCertificate(Date.now())
  const certificateFile = join(folder, 'certificate.pem')
  writeFileSync(certificateFile, certificate)
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const { authorization } = request.headers
    const { status, headers, body } = registry.respond(request.url ?? '', { authorization })
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `localhost:${port}`,
    certificate,
    certificateFile,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
