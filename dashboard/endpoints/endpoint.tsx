import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, codeOf } from '../api.ts'
import { AskFirst, Asked } from '../ui/ask-first.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { useLive } from '../ui/live.ts'
import { NotFound } from '../ui/not-found.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Condition } from './condition.tsx'
import { Log } from './log.tsx'
import { Ping } from './ping.tsx'
import { SecretOnce } from './secret-once.tsx'
import { type OneEndpoint, Standing } from './standing.tsx'
import { refreshEndpoint } from './use-send-all.ts'
import { endpointWords } from './words.ts'

export function Endpoint() {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const { endpointId } = useParams({ from: '/w/$workspaceId/endpoints/$endpointId' })
  const live = useLive()
  const may = useMay()
  const { data, error, refetch } = useQuery(api.endpoints.find.queryOptions({ workspaceId, endpointId }))
  if (codeOf(error) === 'NOT_FOUND' || codeOf(error) === 'BAD_REQUEST') return <NotFound />
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading />
  return (
    <Page
      title={text.endpoint}
      about={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/endpoints" params={{ workspaceId }} />}
        >
          {text.all}
        </Anchor>
      }
      live={live}
      actions={may.change && <Actions endpoint={data} />}
    >
      <Copyable text={data.url} />
      <Overlap endpoint={data} />
      <Condition endpoint={data} />
      <Standing endpoint={data} />
      <Log endpoint={data} />
    </Page>
  )
}

/** Said as long as it lasts: who changes the receiver must know how long they have. */
function Overlap({ endpoint: { previousSecretUntil } }: { endpoint: OneEndpoint }) {
  const text = useWords(endpointWords)
  if (!previousSecretUntil || new Date(previousSecretUntil) <= new Date()) return null
  return (
    <Text size="sm">
      {text.overlap} <Time at={previousSecretUntil} />
    </Text>
  )
}

function Actions({ endpoint }: { endpoint: OneEndpoint }) {
  const isEnabled = endpoint.status === 'enabled'
  return (
    <Group gap="xs">
      {isEnabled && <Ping endpointId={endpoint.endpointId} />}
      {isEnabled && <Pause endpointId={endpoint.endpointId} />}
      <Rotate endpointId={endpoint.endpointId} />
    </Group>
  )
}

function Pause({ endpointId }: { endpointId: string }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const pause = useMutation(api.endpoints.pause.mutationOptions({ onSuccess: refreshEndpoint }))
  return (
    <AskFirst
      label={text.pause}
      title={text.pauseTitle}
      doing={pause}
      yes={text.pause}
      no={text.cancel}
      onYes={() => pause.mutateAsync({ workspaceId, endpointId })}
    >
      <Text size="sm">{text.pauseAsk}</Text>
    </AskFirst>
  )
}

function Rotate({ endpointId }: { endpointId: string }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const [asking, { open, close }] = useDisclosure()
  const rotate = useMutation(api.endpoints.rotate.mutationOptions({ onSuccess: refreshEndpoint }))
  const done = (): void => {
    close()
    rotate.reset() // the secret leaves the page with the window that showed it
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {text.rotate}
      </Button>
      <Modal
        closeOnClickOutside={rotate.data === undefined}
        opened={asking}
        onClose={done}
        title={rotate.data ? text.rotate : text.rotateTitle}
        size="lg"
      >
        {rotate.data ? (
          <Stack>
            <Text size="sm">
              {text.rotateDone} <Time at={rotate.data.previousSecretUntil} />
            </Text>
            <SecretOnce secret={rotate.data.secret} onDone={done} />
          </Stack>
        ) : (
          <Asked
            doing={rotate}
            yes={text.rotate}
            no={text.cancel}
            onYes={() => rotate.mutate({ workspaceId, endpointId })}
            onNo={done}
          >
            <Text size="sm">{text.rotateAsk}</Text>
          </Asked>
        )}
      </Modal>
    </>
  )
}
