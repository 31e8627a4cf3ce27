import { expect, test } from 'vitest'
import { restrictsOwner, publicIssuers } from './public-issuers.ts'

const { github, gitlab } = publicIssuers
const otherIssuer = 'https://issuer.test'

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
  [otherIssuer, { sub: 'organization:acme:pipeline:shop' }, true],
  [otherIssuer, { sub: 'organization:**' }, false],
  [otherIssuer, { sub: 'org/**' }, false],
  [otherIssuer, { organization_slug: 'acme', build_branch: 'main' }, true],
  [otherIssuer, { email: 'ci@acme.test' }, true],
  [otherIssuer, { email: '*@acme.test', email_verified: 'true' }, false],
  [otherIssuer, { 'oidc.circleci.com/project-id': '42' }, true],
  [otherIssuer, { 'oidc.circleci.com/vcs-ref': 'refs/heads/main' }, false],
  [otherIssuer, { repositoryUuid: '42' }, true],
  [otherIssuer, { branchName: 'main' }, false],
  [otherIssuer, { project_path: 'acme/*' }, true],
  [otherIssuer, { sub: 'project_path:acme/**' }, true],
  [otherIssuer, { sub: 'repo:**' }, false],
  [otherIssuer, { ref: 'main' }, false],
  [otherIssuer, { ref: 'refs/heads/*' }, false],
  [otherIssuer, { ref_type: 'branch', event_name: 'push', environment: 'prod' }, false],
  [otherIssuer, { ci_config_ref_uri: 'gitlab.test/acme/shop//ci.yml@refs/heads/main' }, false],
  [otherIssuer, { aud: 'https://antichain.test', iss: otherIssuer }, false],
  [otherIssuer, { ref: '*/**' }, false],
  [otherIssuer, {}, false],
])(
  'restrictsOwner of the issuer %s with the conditions %o returns %s',
  (issuer, claims, isRestricted) => {
    expect(restrictsOwner(issuer, claims)).toBe(isRestricted)
  },
)
