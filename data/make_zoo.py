"""Train the zoo on the training half of the bundled digits: ``python data/make_zoo.py folder
[family ...]``.

Needs torch 2.13 (on the CPU), which prviz itself never imports. Everything is seeded and runs on
one thread; each family (vae, gan, flow, autoregressive, diffusion; default: all) is trained on its
own. The folder gets 1,797 samples of each checkpoint, ``training-FAMILY.csv.gz`` with the loss of
each optimiser step, and their entries in ``manifest.json``. The bundled files are in ``data/zoo``.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from make_data import N, describe
from torch import Tensor, nn
from torch.nn import functional

Arrays = dict[str, Any]
Row = tuple[str, int, int, str]  # run, epoch, step, losses

PIXELS = 64
LEVELS = 16
CLASSES = 10
BATCH = 64
SAMPLE_SEED = 1000
VAE_LATENT = 16
GAN_LATENT = 32
VAES = {
    "vae-b0.03": (0.03, 256),
    "vae-b0.2": (0.2, 256),
    "vae-b1": (1.0, 256),
    "vae-b0.2-narrow": (0.2, 24),
}
VAE_EPOCHS = (10, 40, 120, 300)
# width, step of the generator
GANS = {
    "gan": (256, 1e-3),
    "gan-narrow": (64, 1e-3),
    "gan-collapsed": (256, 1e-2),
}
GAN_EPOCHS = (50, 100, 200, 350)
PENALTY = 0.02
FLOWS = {"flow": 128, "flow-narrow": 24}
FLOW_EPOCHS = (3, 10, 40, 100)
DIFFUSION_EPOCHS = (30, 80, 160, 300)
DIFFUSION_STEPS = 25
AUTOREGRESSIVE_EPOCHS = (3, 10, 30, 60)
WARMED_EPOCH = 30
GUIDANCE = (0, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10)
TEMPERATURES = (0.25, 0.5, 0.7, 0.85, 1, 1.15, 1.3)
LATENT_SCALES = (0.25, 0.5, 0.75, 1, 1.25)
CLASS_COUNTS = (1, 2, 3, 5, 7, 9)


def pixels(shades: Tensor) -> np.ndarray:
    """The nearest picture of integers 0 to 16 to shades of 0 to 1."""
    return np.clip(np.rint(shades.detach().numpy().astype(np.float64) * LEVELS), 0, LEVELS).astype(
        np.uint8
    )


def layers(*widths: int, activation: type[nn.Module] = nn.SiLU) -> nn.Sequential:
    """Linear layers of these widths with the activation between them."""
    parts: list[nn.Module] = []
    for before, after in itertools.pairwise(widths):
        parts += [nn.Linear(before, after), activation()]
    return nn.Sequential(*parts[:-1])


class Training:
    """The training half, the log of every optimiser step, and the loop over epochs."""

    def __init__(self, shades: Tensor, digits: Tensor) -> None:
        self.shades = shades
        self.digits = digits
        self.log: list[Row] = []

    def epochs(
        self,
        run: str,
        seed: int,
        kept: tuple[int, ...],
        step: Callable[[Tensor, Tensor], dict[str, float]],
    ) -> Iterator[int]:
        """Run ``step`` on shuffled batches; yields each epoch of ``kept`` when it is over."""
        order = torch.Generator().manual_seed(seed)
        done = 0
        start = time.process_time()
        for epoch in range(1, max(kept) + 1):
            for rows in torch.randperm(len(self.shades), generator=order).split(BATCH):
                losses = step(self.shades[rows], self.digits[rows])
                done += 1
                self.log.append(
                    (
                        run,
                        epoch,
                        done,
                        " ".join(f"{key}={value:.4g}" for key, value in losses.items()),
                    )
                )
            if epoch in kept:
                print(
                    f"{run} epoch {epoch}: {self.log[-1][3]}, {time.process_time() - start:.0f} s",
                    flush=True,
                )
                yield epoch


# ---- variational autoencoders ----


def train_vae(
    training: Training, run: str, seed: int, beta: float, width: int
) -> Iterator[tuple[int, nn.Module]]:
    """Bernoulli decoder; cross-entropy plus beta times the Kullback-Leibler divergence from the
    prior.
    """
    torch.manual_seed(seed)
    encoder = layers(PIXELS, width, width, 2 * VAE_LATENT)
    decoder = layers(VAE_LATENT, width, width, PIXELS)
    adam = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-3)

    def step(shades: Tensor, _digits: Tensor) -> dict[str, float]:
        mean, log_variance = encoder(shades).chunk(2, 1)
        latent = mean + torch.exp(log_variance / 2) * torch.randn_like(mean)
        error = functional.binary_cross_entropy_with_logits(
            decoder(latent), shades, reduction="sum"
        ) / len(shades)
        divergence = (mean**2 + log_variance.exp() - 1 - log_variance).sum() / 2 / len(shades)
        adam.zero_grad()
        (error + beta * divergence).backward()
        adam.step()
        return {"error": error.item(), "divergence": divergence.item()}

    for epoch in training.epochs(run, seed, VAE_EPOCHS, step):
        yield epoch, decoder


def sample_vae(decoder: nn.Module, scale: float = 1.0) -> Arrays:
    """Mean pictures of latents from the prior, which ``scale`` pulls to its mean."""
    latents = torch.randn(N, VAE_LATENT, generator=torch.Generator().manual_seed(SAMPLE_SEED))
    return {"features": pixels(torch.sigmoid(decoder(scale * latents)))}


# ---- generative adversarial networks ----


def train_gan(
    training: Training, run: str, seed: int, width: int, rate: float
) -> Iterator[tuple[int, nn.Module]]:
    """Non-saturating loss with a penalty on the discriminator's slope; ``rate`` is the generator's
    step size.
    """
    torch.manual_seed(seed)
    generator = layers(GAN_LATENT, width, width, PIXELS)
    judge = layers(PIXELS, 256, 256, 1)
    adams = [
        torch.optim.Adam(net.parameters(), step, betas=(0.0, 0.99))
        for net, step in ((generator, rate), (judge, 1e-3))
    ]
    # on both sides of the discriminator, so that it can't learn the training half by heart
    noise = 0.05

    def fakes(count: int) -> Tensor:
        return torch.sigmoid(generator(torch.randn(count, GAN_LATENT)))

    def step(shades: Tensor, _digits: Tensor) -> dict[str, float]:
        real = (shades + noise * torch.randn_like(shades)).requires_grad_()
        fake = fakes(len(shades)).detach()
        said = judge(real)
        (slope,) = torch.autograd.grad(said.sum(), real, create_graph=True)
        judged = (
            functional.softplus(-said).mean()
            + functional.softplus(judge(fake + noise * torch.randn_like(fake))).mean()
        )
        adams[1].zero_grad()
        (judged + PENALTY * (slope**2).sum(1).mean()).backward()
        adams[1].step()
        fake = fakes(len(shades))
        fooled = functional.softplus(-judge(fake + noise * torch.randn_like(fake))).mean()
        adams[0].zero_grad()
        fooled.backward()
        adams[0].step()
        return {"discriminator": judged.item(), "generator": fooled.item()}

    for epoch in training.epochs(run, seed, GAN_EPOCHS, step):
        yield epoch, generator


def sample_gan(generator: nn.Module) -> Arrays:
    """Pictures of latents from the prior."""
    latents = torch.randn(N, GAN_LATENT, generator=torch.Generator().manual_seed(SAMPLE_SEED))
    return {"features": pixels(torch.sigmoid(generator(latents)))}


# ---- normalising flow ----


class Flow(nn.Module):
    """Eight affine couplings (RealNVP) between pixels' logits and a standard Gaussian."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.nets = nn.ModuleList(layers(PIXELS // 2, width, width, PIXELS) for _ in range(8))
        self.register_buffer("orders", torch.stack([torch.randperm(PIXELS) for _ in self.nets]))

    def forward(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Gaussian values and the log determinant of the way there."""
        total = torch.zeros(len(values))
        for net, order in zip(self.nets, self.orders, strict=True):
            first, second = values[:, order].chunk(2, 1)
            log_scale, shift = net(first).chunk(2, 1)
            log_scale = torch.tanh(log_scale)
            values = torch.cat([first, second * log_scale.exp() + shift], 1)
            total = total + log_scale.sum(1)
        return values, total

    def inverse(self, values: Tensor) -> Tensor:
        """Pixels' logits of Gaussian values."""
        for net, order in zip(reversed(self.nets), reversed(self.orders), strict=True):
            first, second = values.chunk(2, 1)
            log_scale, shift = net(first).chunk(2, 1)
            values = torch.cat([first, (second - shift) * torch.exp(-torch.tanh(log_scale))], 1)
            values = values[:, torch.argsort(order)]
        return values


def train_flow(
    training: Training, run: str, seed: int, width: int
) -> Iterator[tuple[int, nn.Module]]:
    """Maximum likelihood of dequantised pixels: (level + uniform) / 17, then the logit of 0.05 to
    0.95 of it.
    """
    torch.manual_seed(seed)
    flow = Flow(width)
    adam = torch.optim.Adam(flow.parameters(), 1e-3)

    def step(shades: Tensor, _digits: Tensor) -> dict[str, float]:
        uniform = (shades * LEVELS + torch.rand_like(shades)) / (LEVELS + 1)
        values, log_determinant = flow(torch.logit(0.05 + 0.9 * uniform))
        loss = (values**2 / 2).sum(1).mean() - log_determinant.mean()
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 50.0)
        adam.step()
        return {"likelihood": loss.item()}

    for epoch in training.epochs(run, seed, FLOW_EPOCHS, step):
        yield epoch, flow


def sample_flow(flow: Flow) -> Arrays:
    """Pictures of Gaussian values, each level the one whose interval the dequantised value lies
    in.
    """
    latents = torch.randn(N, PIXELS, generator=torch.Generator().manual_seed(SAMPLE_SEED))
    uniform = (torch.sigmoid(flow.inverse(latents)) - 0.05) / 0.9
    level = torch.floor(torch.nan_to_num(uniform) * (LEVELS + 1))
    return {"features": pixels(level / LEVELS)}


# ---- diffusion with classifier-free guidance ----


class Denoiser(nn.Module):
    """Noise in a noisy picture, from the picture, the time and the class; class 10 means that none
    is told.
    """

    def __init__(self, width: int = 320) -> None:
        super().__init__()
        self.enter = nn.Linear(PIXELS, width)
        self.at = layers(32, width, width)
        self.of = nn.Embedding(CLASSES + 1, width)
        self.blocks = nn.ModuleList(layers(width, width, width) for _ in range(3))
        self.leave = nn.Linear(width, PIXELS)

    def forward(self, noisy: Tensor, time: Tensor, digit: Tensor) -> Tensor:
        """The noise, (n, 64)."""
        angles = time[:, None] * torch.exp(torch.linspace(0, math.log(200), 16))
        about = self.at(torch.cat([angles.sin(), angles.cos()], 1)) + self.of(digit)
        hidden = self.enter(noisy)
        for block in self.blocks:
            hidden = hidden + block(functional.silu(hidden + about))
        return self.leave(functional.silu(hidden))


def signal(time: Tensor) -> tuple[Tensor, Tensor]:
    """Weights of picture and noise at a time of 0 to 1: cosine and sine."""
    angle = (0.01 + 0.98 * time) * math.pi / 2
    return angle.cos(), angle.sin()


def train_diffusion(training: Training, run: str, seed: int) -> Iterator[tuple[int, nn.Module]]:
    """Squared error of the noise; one class in seven is not told."""
    torch.manual_seed(seed)
    denoiser = Denoiser()
    adam = torch.optim.Adam(denoiser.parameters(), 1e-3)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(
        adam, max(DIFFUSION_EPOCHS) * math.ceil(len(training.shades) / BATCH)
    )

    def step(shades: Tensor, digits: Tensor) -> dict[str, float]:
        time = torch.rand(len(shades))
        noise = torch.randn_like(shades)
        of_picture, of_noise = signal(time[:, None])
        told = torch.where(torch.rand(len(digits)) < 1 / 7, CLASSES, digits)
        loss = functional.mse_loss(
            denoiser(of_picture * (2 * shades - 1) + of_noise * noise, time, told), noise
        )
        adam.zero_grad()
        loss.backward()
        adam.step()
        decay.step()
        return {"error": loss.item()}

    for epoch in training.epochs(run, seed, DIFFUSION_EPOCHS, step):
        yield epoch, denoiser


@torch.no_grad()
def sample_diffusion(denoiser: nn.Module, digits: Tensor, scale: float = 1.0) -> Arrays:
    """Deterministic steps (DDIM) with noise = without class + scale times (with class - without
    class).
    """
    values = torch.randn(N, PIXELS, generator=torch.Generator().manual_seed(SAMPLE_SEED))
    untold = torch.full_like(digits, CLASSES)
    times = torch.linspace(1, 0, DIFFUSION_STEPS + 1)
    for now, after in itertools.pairwise(times):
        at = now.expand(N)
        noise = denoiser(values, at, digits) if scale else denoiser(values, at, untold)
        if scale not in (0, 1):
            without = denoiser(values, at, untold)
            noise = without + scale * (noise - without)
        of_picture, of_noise = signal(now)
        picture = ((values - of_noise * noise) / of_picture).clamp(-1, 1)
        noise = (values - of_picture * picture) / of_noise
        of_picture, of_noise = signal(after)
        values = of_picture * picture + of_noise * noise
    arrays: Arrays = {"features": pixels((values + 1) / 2)}
    return arrays | {"digit": digits.numpy().astype(np.uint8)} if scale else arrays


# ---- autoregressive model ----


class Autoregressive(nn.Module):
    """Masked network (MADE): the levels of each pixel, from the pixels before it, row by row, and
    the class.
    """

    def __init__(self, width: int = 384) -> None:
        super().__init__()
        place = torch.arange(PIXELS)
        unit = torch.arange(width) % (PIXELS - 1)
        self.register_buffer("masks", torch.cat([(unit[:, None] >= place[None]).float()] * 2, 1))
        self.register_buffer("inner", (unit[:, None] >= unit[None]).float())
        self.register_buffer(
            "outer", (place[:, None] > unit[None]).float().repeat_interleave(LEVELS + 1, 0)
        )
        self.first, self.second = nn.Linear(2 * PIXELS, width), nn.Linear(width, width)
        self.last = nn.Linear(width, PIXELS * (LEVELS + 1))
        self.of, self.of_last = (
            nn.Embedding(CLASSES, width),
            nn.Embedding(CLASSES, PIXELS * (LEVELS + 1)),
        )

    def forward(
        self, shades: Tensor, digit: Tensor, keep: float = 1.0, place: int | None = None
    ) -> Tensor:
        """Logits, (n, 64, 17), or of one pixel; ``keep`` is the share of hidden units that training
        leaves in.
        """
        entered = torch.cat([shades, (shades > 0).float()], 1)
        hidden = functional.silu(
            functional.linear(entered, self.first.weight * self.masks, self.first.bias)
            + self.of(digit)
        )
        hidden = functional.dropout(hidden, 1 - keep, training=keep < 1)
        hidden = functional.silu(
            functional.linear(hidden, self.second.weight * self.inner, self.second.bias)
        )
        hidden = functional.dropout(hidden, 1 - keep, training=keep < 1)
        levels = (
            slice(None)
            if place is None
            else slice(place * (LEVELS + 1), (place + 1) * (LEVELS + 1))
        )
        logits = functional.linear(
            hidden, (self.last.weight * self.outer)[levels], self.last.bias[levels]
        )
        return (logits + self.of_last(digit)[:, levels]).view(len(shades), -1, LEVELS + 1)


def train_autoregressive(
    training: Training, run: str, seed: int
) -> Iterator[tuple[int, nn.Module]]:
    """Cross-entropy of all pixels, half of the hidden units dropped."""
    torch.manual_seed(seed)
    model = Autoregressive()
    adam = torch.optim.Adam(model.parameters(), 1e-3)

    def step(shades: Tensor, digits: Tensor) -> dict[str, float]:
        levels = (shades * LEVELS).round().long()
        loss = functional.cross_entropy(
            model(shades, digits, keep=0.5).transpose(1, 2), levels, reduction="sum"
        ) / len(shades)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return {"entropy": loss.item()}

    for epoch in training.epochs(run, seed, AUTOREGRESSIVE_EPOCHS, step):
        yield epoch, model


@torch.no_grad()
def sample_autoregressive(model: nn.Module, digits: Tensor, temperature: float = 1.0) -> Arrays:
    """Pixel after pixel from softmax(logits / temperature)."""
    stream = torch.Generator().manual_seed(SAMPLE_SEED)
    shades = torch.zeros(N, PIXELS)
    for place in range(PIXELS):
        chances = torch.softmax(model(shades, digits, place=place)[:, 0] / temperature, 1)
        shades[:, place] = torch.multinomial(chances, 1, generator=stream)[:, 0] / LEVELS
    return {"features": pixels(shades), "digit": digits.numpy().astype(np.uint8)}


# ---- all of them ----


def asked_digits(digits: Tensor, classes: int = CLASSES) -> Tensor:
    """N classes to ask for, below ``classes``, as frequent as in the training half."""
    below = digits[digits < classes].numpy()
    return torch.from_numpy(np.random.default_rng(SAMPLE_SEED).permutation(np.resize(below, N)))


def make_autoencoders(training: Training) -> Iterator[tuple[str, Arrays]]:
    """Checkpoints of each autoencoder, and the last one's latents scaled."""
    for seed, (run, (beta, width)) in enumerate(VAES.items(), 11):
        for epoch, decoder in train_vae(training, run, seed, beta, width):
            yield f"{run}-e{epoch}", sample_vae(decoder)
            if run == "vae-b0.2" and epoch == max(VAE_EPOCHS):
                yield from (
                    (f"latent-{scale:g}", sample_vae(decoder, scale)) for scale in LATENT_SCALES
                )


def make_adversarial(training: Training) -> Iterator[tuple[str, Arrays]]:
    """Checkpoints of each adversarial network."""
    for seed, (run, (width, rate)) in enumerate(GANS.items(), 21):
        for epoch, generator in train_gan(training, run, seed, width, rate):
            yield f"{run}-e{epoch}", sample_gan(generator)


def make_flows(training: Training) -> Iterator[tuple[str, Arrays]]:
    """Checkpoints of each flow."""
    for seed, (run, width) in enumerate(FLOWS.items(), 31):
        for epoch, flow in train_flow(training, run, seed, width):
            yield f"{run}-e{epoch}", sample_flow(flow)


def make_autoregressive(training: Training) -> Iterator[tuple[str, Arrays]]:
    """Checkpoints of the autoregressive model, and one of them at other temperatures."""
    asked = asked_digits(training.digits)
    for epoch, model in train_autoregressive(training, "autoregressive", 41):
        yield f"autoregressive-e{epoch}", sample_autoregressive(model, asked)
        if epoch == WARMED_EPOCH:
            for temperature in TEMPERATURES:
                yield (
                    f"temperature-{temperature:g}",
                    sample_autoregressive(model, asked, temperature),
                )


def make_diffusion(training: Training) -> Iterator[tuple[str, Arrays]]:
    """Checkpoints of the diffusion model; the last one guided, and asked for fewer classes."""
    asked = asked_digits(training.digits)
    for epoch, denoiser in train_diffusion(training, "diffusion", 51):
        yield f"diffusion-e{epoch}", sample_diffusion(denoiser, asked)
    for scale in GUIDANCE:
        yield f"guidance-{scale:g}", sample_diffusion(denoiser, asked, scale)
    for classes in CLASS_COUNTS:
        yield (
            f"classes-{classes}",
            sample_diffusion(denoiser, asked_digits(training.digits, classes)),
        )


FAMILIES = {
    "vae": make_autoencoders,
    "gan": make_adversarial,
    "flow": make_flows,
    "autoregressive": make_autoregressive,
    "diffusion": make_diffusion,
}


# Samples that are those of another checkpoint, whose file they share.
SAME = {
    "temperature-1": f"autoregressive-e{WARMED_EPOCH}",
    "guidance-1": "diffusion-e300",
    "latent-1": "vae-b0.2-e300",
}


def write_log(path: Path, rows: list[Row]) -> None:
    """The losses of each step, compressed without a time stamp, so that equal runs give equal
    bytes.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("run", "epoch", "step", "losses"), *rows])
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def main(folder: Path, families: list[str]) -> None:
    """Train these families and write their files, their logs and their part of manifest.json into
    ``folder``.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    with np.load(Path(__file__).resolve().parent / "digits.npz", allow_pickle=False) as archive:
        train = archive["part"] == "train"
        shades = torch.from_numpy(archive["features"][train].astype(np.float32) / LEVELS)
        digits = torch.from_numpy(archive["digit"][train].astype(np.int64))
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "manifest.json"
    facts = {"made_by": "make_zoo.py", "versions": {}, "seconds": {}, "files": {}}
    if listed.exists():
        facts = json.loads(listed.read_text(encoding="utf-8"))
    facts["versions"] = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
    }
    for family in families:
        training = Training(shades, digits)
        began = time.process_time()
        for stem, arrays in FAMILIES[family](training):
            if stem in SAME:
                facts.setdefault("same", {})[f"{stem}.npz"] = f"{SAME[stem]}.npz"
                continue
            path = folder / f"{stem}.npz"
            np.savez_compressed(path, **arrays)
            facts["files"][path.name] = describe(path, arrays)
        write_log(folder / f"training-{family}.csv.gz", training.log)
        facts["seconds"][family] = round(time.process_time() - began)
        listed.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(FAMILIES))
