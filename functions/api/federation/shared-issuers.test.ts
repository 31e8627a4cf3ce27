import { expect, test } from 'vitest'
import { restrictsOwner, sharedIssuers } from './shared-issuers.ts'

const { github, gitlab } = sharedIssuers

test.each([
  [github.url, { repository: 'acme/shop' }, true],
  [github.url, { repository: 'acme/*' }, true],
  [github.url, { repository: 'acme*' }, false],
  [github.url, { repository: '*/shop' }, false],
  [github.url, { repository: '**' }, false],
  [github.url, { repository_owner: 'acme' }, true],
  [github.url, { repository_owner: '?cme' }, false],
  [github.url, { sub: 'repo:acme/**' }, true],
  [github.url, { sub: 'repo:*' }, false],
  [github.url, { sub: '/**' }, false],
  [github.url, { sub: 'environment:prod' }, false],
  [gitlab.url, { sub: 'project_path:acme/**' }, true],
  [github.url, { ref: 'refs/heads/main' }, false],
  [github.url, { job_workflow_ref: 'acme/shop/.github/workflows/a.yml@refs/heads/main' }, false],
  [github.url, { ref: 'refs/heads/main', repository_id: '42' }, true],
  [gitlab.url, { project_path: 'acme/shop' }, true],
  [gitlab.url, { namespace_path: 'acme' }, true],
  [gitlab.url, { ref: 'main', ref_protected: 'true' }, false],
  ['https://issuer.test', { ref: 'main' }, true],
  ['https://issuer.test', { ref: '*/**' }, false],
  ['https://issuer.test', {}, false],
])('of %s the conditions %o restrict the owner: %s', (issuer, claims, isRestricted) => {
  expect(restrictsOwner(issuer, claims)).toBe(isRestricted)
})
