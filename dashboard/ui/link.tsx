import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import {
  Link,
  type LinkComponent,
  type LinkProps,
  type RegisteredRouter,
  type ValidateLinkOptions,
  createLink,
} from '@tanstack/react-router'
import type { ComponentPropsWithRef, ReactNode } from 'react'

/** Links within a workspace need no `workspaceId`: they keep that of the page. */
const WORKSPACE = '/w/$workspaceId'
type InWorkspace<Component> = LinkComponent<Component, typeof WORKSPACE>

type Host<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>
const AnchorHost = (props: Host<AnchorProps>) => <Anchor {...props} />
const ButtonHost = (props: Host<ButtonProps>) => <Button component="a" {...props} />

export const AnchorLink: InWorkspace<typeof AnchorHost> = createLink(AnchorHost)
export const ButtonLink: InWorkspace<typeof ButtonHost> = createLink(ButtonHost)

export type LinkOf = (props: object) => ReactNode

/** For `renderRoot` of other components, and for rows that open a page. */
export const linkTo =
  <const Options,>(options: ValidateLinkOptions<RegisteredRouter, Options, typeof WORKSPACE>): LinkOf =>
  (props) => <Link {...props} {...(options as LinkProps)} />
