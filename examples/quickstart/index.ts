import * as pulumi from '@pulumi/pulumi'
import { Site } from './site'

const config = new pulumi.Config()
const accessToken = pulumi.secret('a-token-that-stays-sealed')
const site = new Site('almanac', {
  title: config.require('title'),
  pages: config.requireNumber('pages'),
  accessToken,
})

export const folder = 'site'
export const index = site.index
export const files = site.files
export const bytes = site.bytes
export const token = accessToken
