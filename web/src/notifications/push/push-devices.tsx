import { useEffect, useState } from "preact/hooks";
import { deviceName } from "../../components/device-name.ts";
import { Loaded } from "../../components/loaded.tsx";
import { formatMoment } from "../../formats/dates.ts";
import { problemOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client, type Me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { type Device, isOf, readPush } from "./push.ts";
import { ThisDevice } from "./this-device.tsx";

/** Push on this device, and the others that have it. */
export function PushDevices({ user }: { user: Me }) {
  const { push } = TEXTS;
  const devices = useRead("listDevices", { query: { per_page: 100 } });
  const key = useRead("getWebPushKey", {});
  const [here, setHere] = useState<Awaited<ReturnType<typeof readPush>> | null>(null);
  const look = async (): Promise<void> => setHere(await readPush());
  useEffect(() => void look(), []);
  const changed = async (): Promise<void> => {
    await look();
    devices.again();
  };
  const remove = async (device: Device): Promise<void> => {
    try {
      await client.call("removeDevice", { path: { device_id: device.id } });
      devices.change((page) => ({ ...page, items: page.items.filter(({ id }) => id !== device.id) }));
      say(push.removed);
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <Loaded read={devices}>
      {({ items }) => {
        const own = items.find((device) => isOf(device, here?.subscription ?? null));
        return (
          <>
            {here && key.data && (
              <ThisDevice
                isAvailable={key.data.public_key !== null}
                state={here.state === "on" && !own ? "off" : here.state}
                userId={user.id}
                devices={items}
                onChange={changed}
              />
            )}
            {(items.length > 0 || key.data?.public_key) && (
              <section class="box">
                <h2>{push.devices}</h2>
                <p class="quiet">{items.length === 0 ? push.none : push.devicesHint}</p>
                {items.length > 0 && (
                  <ul class="rows">
                    {items.map((device) => (
                      <Row key={device.id} device={device} isHere={device === own} onRemove={remove} />
                    ))}
                  </ul>
                )}
              </section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

type RowProps = { device: Device; isHere: boolean; onRemove: (device: Device) => Promise<void> };

function Row({ device, isHere, onRemove }: RowProps) {
  const { push } = TEXTS;
  const name = deviceName(device.user_agent ?? null) ?? push.unknown;
  return (
    <li>
      <div class="what">
        <bdi>{name}</bdi>
        <span class="quiet">{push.last(formatMoment(device.last_active))}</span>
        {isHere && <span class="here">{push.here}</span>}
      </div>
      {!isHere && (
        <button
          type="button"
          class="button quiet"
          aria-label={push.removeOf(name)}
          onClick={() => void onRemove(device)}
        >
          {push.remove}
        </button>
      )}
    </li>
  );
}
